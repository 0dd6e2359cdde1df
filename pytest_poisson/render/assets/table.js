// The table: sorted and filtered as data, 50 rows of it at a time as elements; more of them in print.
var collator = new Intl.Collator("en", { numeric: true });

function fitting() {
  var text = chosen.find.toLowerCase();
  var found = rows.filter(function (row) {
    return (chosen.event < 0 || row.event === chosen.event) && (!chosen.word || said(row) === chosen.word) &&
      (!text || (row.condition.label + " " + data.events[row.event] + " " + said(row)).toLowerCase().indexOf(text) >= 0);
  });
  return chosen.sort === null ? found : sorted(found);
}

function sortKey(row) {
  if (chosen.sort === 0) { return row.condition.label; }
  if (chosen.sort === 1) { return data.events[row.event]; }
  return row.keys[chosen.sort - 2];
}

function sorted(found) {
  var sign = chosen.down ? -1 : 1;
  return found.map(function (row, place) { return [sortKey(row), place, row]; }).sort(function (a, b) {
    if (a[0] === null || b[0] === null) { return (a[0] === null) - (b[0] === null) || a[1] - b[1]; }
    var order = typeof a[0] === "string" ? collator.compare(a[0], b[0]) : a[0] - b[0];
    return sign * order || a[1] - b[1];
  }).map(function (each) { return each[2]; });
}

function drawTable(most) {
  var found = fitting(), size = most || PER_PAGE, pages = Math.max(1, Math.ceil(found.length / size));
  chosen.page = Math.min(chosen.page, pages - 1);
  var first = most ? 0 : chosen.page * size, shown = found.slice(first, first + size), body = byId("rows").tBodies[0];
  body.textContent = "";
  shown.forEach(function (row) { tableRow(row).forEach(function (line) { body.append(line); }); });
  drawHeads();
  drawPager(found.length, first, shown.length, pages);
}

function tableRow(row) {
  var open = chosen.open === row.number;
  var button = make("button", { type: "button", "aria-expanded": String(open), text: row.condition.label,
    on: { click: function () { if (open) { closeRow(); } else { openRow(row, null); } } } });
  var line = make("tr", { id: "row-" + row.number }, make("th", { scope: "row" }, button),
    make("td", { text: data.events[row.event] }));
  row.cells.forEach(function (text, at) {
    line.append(make("td", { text: text, "class": data.columns[at].right ? "number" : null }));
  });
  return open ? [line, make("tr", {}, make("td", { colspan: data.columns.length + 2 }, details(row)))] : [line];
}

function drawHeads() {
  Array.from(byId("rows").tHead.rows[0].cells).forEach(function (head, at) {
    if (chosen.sort === at) { head.setAttribute("aria-sort", chosen.down ? "descending" : "ascending"); }
    else { head.removeAttribute("aria-sort"); }
  });
}

function drawPager(whole, first, count, pages) {
  byId("shown").textContent = count ? "rows " + (first + 1) + " to " + (first + count) + " of " + whole : "no row fits";
  byId("earlier").disabled = chosen.page === 0;
  byId("later").disabled = chosen.page >= pages - 1;
  byId("pager").hidden = pages === 1;
  byId("cut").textContent = count < whole ? "In print: " + count + " of " + whole + " rows; report.md has all." : "";
}

function sortBy(at) {
  if (chosen.sort !== at) { chosen.sort = at; chosen.down = false; }
  else if (!chosen.down) { chosen.down = true; }
  else { chosen.sort = null; }
  chosen.page = 0;
  drawTable();
}

// Show a row wherever it is: filters that hide it are undone.
function openRow(row, from) {
  chosen.open = row.number;
  var place = fitting().indexOf(row);
  if (place < 0) {
    chosen.find = chosen.word = byId("find").value = byId("word").value = "";
    if (chosen.event >= 0) { chosen.event = row.event; }
    place = fitting().indexOf(row);
  }
  chosen.page = Math.floor(place / PER_PAGE);
  chosen.from = from;
  drawTable();
  var button = byId("row-" + row.number).querySelector("button");
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: from ? "start" : "nearest" });
}

// Close it again and go back to where it was opened from.
function closeRow() {
  var number = chosen.open, from = chosen.from;
  if (number === null) { return; }
  chosen.open = chosen.from = null;
  drawTable();
  var back = from && from.isConnected ? from : byId("row-" + number) && byId("row-" + number).querySelector("button");
  if (back) { back.focus(); }
}
