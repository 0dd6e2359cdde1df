// The data, what is chosen, and how elements are made. Text only ever becomes text.
var data = JSON.parse(document.getElementById("data").textContent);
var rows = data.rows.map(function (row) {
  return { condition: data.conditions[row[0][0]], at: row[0][0], event: row[0][1], look: row[1], cells: row[2],
           keys: row[3], facts: row[4], number: row[5] };
});
var chosen = { event: -1, word: "", find: "", sort: null, down: false, page: 0, x: data.x, y: data.y, open: null };
var PER_PAGE = 50, PRINTED = 200;

function byId(id) { return document.getElementById(id); }

function make(tag, attributes) {
  var made = document.createElement(tag);
  Object.keys(attributes || {}).forEach(function (name) {
    var value = attributes[name];
    if (name === "text") { made.textContent = value; }
    else if (name === "on") { Object.keys(value).forEach(function (kind) { made.addEventListener(kind, value[kind]); }); }
    else if (value !== null && value !== undefined && value !== false) { made.setAttribute(name, value === true ? "" : value); }
  });
  for (var i = 2; i < arguments.length; i += 1) { if (arguments[i]) { made.append(arguments[i]); } }
  return made;
}

function said(row) { return data.kind === "comparison" ? row.facts[0] : ""; }

function inWords(row) {
  var word = said(row);
  return row.condition.label + ", " + data.events[row.event] + ": " + (word ? word + ", " : "") +
    data.columns[data.pictured].name + " " + row.cells[data.pictured];
}

function facts(row) {
  var list = make("dl", { "class": "facts" });
  data.facts.forEach(function (name, at) {
    if (row.facts[at]) { list.append(make("div", {}, make("dt", { text: name }), make("dd", { text: row.facts[at] }))); }
  });
  return list;
}

function option(value, text, selected) { return make("option", { value: value, text: text, selected: selected }); }

function choice(name, options, change) {
  var select = make("select", { on: { change: function () { change(select.value); } } });
  options.forEach(function (each) { select.append(each); });
  return make("label", { text: name + " " }, select);
}
