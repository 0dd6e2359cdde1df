// Controls are made here, so that a page without a script has none that do nothing.
function redraw() { chosen.page = 0; drawPicture(); drawTable(); }

function pictureControls() {
  var controls = byId("choices"), names = data.axes.map(function (axis) { return axis.name; });
  if (data.events.length > 1) {
    var events = [option(-1, "all", true)].concat(data.events.map(function (name, at) { return option(at, name); }));
    controls.append(choice("Event", events, function (value) { chosen.event = Number(value); redraw(); }));
  }
  if (names.length > 1) {
    [["Across", "x", "chosen for you"], ["Down", "y", "all other axes"]].forEach(function (each) {
      var options = [option("", each[2], chosen[each[1]] === null)].concat(names.map(function (name) {
        return option(name, name, chosen[each[1]] === name);
      }));
      controls.append(choice(each[0], options, function (value) {
        var other = each[1] === "x" ? "y" : "x";
        chosen[each[1]] = value || null;
        if (value && chosen[other] === value) { chosen[other] = null; controls.querySelector("[name=" + other + "]").value = ""; }
        redraw();
      }));
      controls.lastChild.querySelector("select").setAttribute("name", each[1]);
    });
  }
}

function tableControls() {
  var words = Array.from(new Set(rows.map(said))).filter(Boolean);
  var find = make("input", { id: "find", type: "search", on: { input: function () {
    chosen.find = find.value; chosen.page = 0; drawTable();
  } } });
  var controls = byId("controls");
  controls.append(make("label", { text: "Find " }, find));
  if (words.length > 1) {
    var options = [option("", "all", true)].concat(words.map(function (word) { return option(word, word); }));
    controls.append(choice("Show", options, function (value) { chosen.word = value; chosen.page = 0; drawTable(); }));
    controls.lastChild.querySelector("select").id = "word";
  } else { controls.append(make("input", { id: "word", type: "hidden" })); }
  controls.append(make("output", { id: "shown", "aria-live": "polite" }));
  byId("pager").append(turn("earlier", "Earlier rows", -1), turn("later", "Later rows", 1));
}

function turn(id, text, pages) {
  return make("button", { id: id, type: "button", text: text, on: { click: function () {
    chosen.page += pages;
    drawTable();
    byId("table").scrollIntoView();
  } } });
}

function sortable() {
  Array.from(byId("rows").tHead.rows[0].cells).forEach(function (head, at) {
    var name = head.textContent, column = data.columns[at - 2];
    head.textContent = "";
    if (column && column.right) { head.className = "number"; }
    head.append(make("button", { type: "button", text: name, on: { click: function () { sortBy(at); } } }));
  });
}

function listen() {
  var picture = byId("picture");
  ["mouseover", "focusin"].forEach(function (kind) { picture.addEventListener(kind, readOut); });
  picture.addEventListener("keydown", moveFocus);
  picture.addEventListener("click", function (event) {
    var cell = event.target.closest("[data-row]");
    if (cell) { openRow(rowOf(cell), cell); }
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { closeRow(); } });
  window.addEventListener("beforeprint", function () { drawTable(PRINTED); });
  window.addEventListener("afterprint", function () { drawTable(); });
}

if (rows.length) {
  pictureControls();
  tableControls();
  sortable();
  listen();
  byId("readout").hidden = false;
  redraw();
  document.documentElement.dataset.ready = "true";
}
