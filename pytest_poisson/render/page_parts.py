"""The style and the script of a report's page; neither holds anything of a result."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--ink:#111;--ground:#fff;--line:#767676;--soft:#f2f2f2}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--ground:#161616;--line:#8c8c8c;--soft:#262626}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.45 Helvetica,Arial,sans-serif}
main{max-width:76rem;margin:auto;padding:1rem}
.verdict{font-size:1.3rem;font-weight:bold;border-left:.4rem solid var(--line);padding-left:.7rem}
.wide{overflow-x:auto}.wide svg{background:#fff}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}
th button{font:inherit;font-weight:bold;background:none;color:inherit;border:0;padding:0;cursor:pointer}
th[aria-sort=ascending] button::after{content:" \\2191"}th[aria-sort=descending] button::after{content:" \\2193"}
pre{background:var(--soft);padding:.6rem;overflow-x:auto}details p{max-width:40rem;overflow-wrap:anywhere}
li,p{overflow-wrap:anywhere}.tile{cursor:pointer}
:focus-visible{outline:3px solid #c77700;outline-offset:1px}tr:target{background:var(--soft)}
@media print{.controls{display:none}body{background:#fff;color:#000}.wide{overflow:visible}tr{break-inside:avoid}}
"""

SCRIPT = """
"use strict";
(function(){
  var table=document.getElementById("rows"),find=document.getElementById("find"),word=document.getElementById("word");
  function rows(){return table?Array.prototype.slice.call(table.tBodies[0].rows):[];}
  function filter(){
    var text=find.value.toLowerCase(),shown=0;
    rows().forEach(function(row){
      var fits=(!word.value||row.dataset.word===word.value)&&row.textContent.toLowerCase().indexOf(text)>=0;
      row.hidden=!fits;shown+=fits?1:0;
    });
    document.getElementById("shown").textContent=shown+" of "+rows().length+" rows";
  }
  function key(row,at){
    var text=(at?row.cells[at].textContent:row.querySelector("summary").textContent),number=parseFloat(text);
    var share=/^(\\d+)\\/(\\d+)$/.exec(text);
    return share?share[1]/share[2]:/^[-+<>]?[\\d.]/.test(text)&&!isNaN(number)?number:text;
  }
  function order(a,b){
    var numbers=(typeof a==="number")-(typeof b==="number");
    return numbers?-numbers:a<b?-1:a>b?1:0;
  }
  function sort(head){
    var up=head.getAttribute("aria-sort")!=="ascending",at=head.cellIndex;
    Array.prototype.forEach.call(head.parentNode.cells,function(each){each.removeAttribute("aria-sort");});
    head.setAttribute("aria-sort",up?"ascending":"descending");
    rows().map(function(row){return [key(row,at),row];})
      .sort(function(a,b){return (up?1:-1)*order(a[0],b[0]);})
      .forEach(function(pair){table.tBodies[0].appendChild(pair[1]);});
  }
  function open(tile){
    var row=document.getElementById("row-"+tile.dataset.row);
    if(!row){return;}
    row.hidden=false;
    var details=row.querySelector("details");
    details.open=true;
    details.querySelector("summary").focus();
    row.scrollIntoView({block:"center"});
  }
  document.querySelectorAll(".tile").forEach(function(tile){
    tile.setAttribute("tabindex","0");
    tile.setAttribute("role","button");
    tile.setAttribute("aria-label",tile.querySelector("title").textContent);
    tile.addEventListener("click",function(){open(tile);});
    tile.addEventListener("keydown",function(event){
      if(event.key==="Enter"||event.key===" "){event.preventDefault();open(tile);}
    });
  });
  if(table){
    Array.prototype.forEach.call(table.tHead.rows[0].cells,function(head){
      head.firstChild.addEventListener("click",function(){sort(head);});
    });
    find.addEventListener("input",filter);word.addEventListener("change",filter);filter();
  }
  window.addEventListener("beforeprint",function(){
    document.querySelectorAll("details").forEach(function(each){each.open=rows().length<=200||each.open;});
  });
})();
"""
