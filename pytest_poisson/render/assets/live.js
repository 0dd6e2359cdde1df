"use strict";
// Renews the live part of a page while a sweep runs, and stops when it has ended.
(function () {
  var WAIT_MS = 2000;

  function renew(text) {
    var old = document.getElementById("live");
    var now = new DOMParser().parseFromString(text, "text/html").getElementById("live");
    if (!now || now.outerHTML === old.outerHTML) { return; }
    var focus = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    old.replaceWith(document.adoptNode(now));
    now.querySelectorAll("a").forEach(function (each) {
      if (focus !== null && each.getAttribute("href") === focus) { each.focus(); }
    });
  }

  function ask() {
    var live = document.getElementById("live");
    if (!live || live.dataset.running !== "yes") { return; }
    if (document.hidden) { window.setTimeout(ask, WAIT_MS); return; }
    fetch(window.location.href)
      .then(function (answer) { return answer.text(); })
      .then(renew)
      .catch(function () {})
      .then(function () { window.setTimeout(ask, WAIT_MS); });
  }

  window.setTimeout(ask, WAIT_MS);
})();
