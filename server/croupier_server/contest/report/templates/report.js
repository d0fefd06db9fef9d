// Adds buttons to the headers of tables with the class "sortable" that sort by their column. The
// text stays outside: browsers do not repeat buttons at the top of a printed page.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent.trim();
  };
  const isEmpty = (value) => value === "" || value === "–";
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `Sort by ${header.textContent.trim()}`);
    header.append(button);
    header.addEventListener("click", () => {
      const rows = [...body.rows];
      const isNumeric = rows.some((row) => typeof key(row, column) === "number");
      const before = header.getAttribute("aria-sort");
      const rises = before ? before === "descending" : !isNumeric || "rises" in header.dataset;
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", rises ? "ascending" : "descending");
      rows.sort((one, other) => {
        const [a, b] = [key(one, column), key(other, column)];
        if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
        const order = isNumeric ? a - b : String(a).localeCompare(String(b));
        return rises ? order : -order;
      });
      body.append(...rows);
    });
  });
}
