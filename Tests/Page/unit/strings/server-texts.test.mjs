import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { page } from "../browser.mjs";

const { translator } = await import(new URL("strings/server-texts.js", page).href);
const german = await Promise.all(["server-de.js", "server-de-b.js"]
  .map((name) => import(new URL(`strings/${name}`, page).href)));
const groups = Object.assign({}, ...german);
const say = translator(Object.values(groups).flat(), new Intl.NumberFormat("de"));

/** What the server sends, and what a German page shows. */
const cases = [
  ["Oak on 10000 photos", "Oak auf 10.000 Fotos"],
  ["no Oak on 1 photo", "kein Oak auf 1 Foto"],
  ["Undo: 500 photos removed", "Rückgängig machen: 500 Fotos entfernt"],
  ["Oak in a box", "Oak in einem Rahmen"],
  ["bob@x.org changed the photo in the meantime. Nothing was written.",
    "bob@x.org hat das Foto inzwischen geändert. Nichts wurde geschrieben."],
  ["labeled present by net@1 (0.61), no person has labeled it",
    "vorhanden laut net@1 (0,61), keine Person hat es gelabelt"],
  ["ann@x.org and bob@x.org disagree", "ann@x.org und bob@x.org sind uneins"],
  ["people disagree 2 to 1 (ann@x.org and eve@x.org against bob@x.org)",
    "Personen sind uneins, 2 zu 1 (ann@x.org und eve@x.org gegen bob@x.org)"],
  ["labeled absent by ann@x.org, bob@x.org and eve@x.org",
    "nicht vorhanden laut ann@x.org, bob@x.org und eve@x.org"],
  ["labeled beagle by ann@x.org, and classes of “breed” exclude each other",
    "beagle laut ann@x.org, und Klassen von „breed“ schließen einander aus"],
  ["Already resolved by someone else: “Oak” is rejected, labeled absent by ann@x.org. Nothing was written.",
    "Schon von jemand anderem entschieden: „Oak“ ist abgelehnt, nicht vorhanden laut ann@x.org. Nichts wurde geschrieben."],
  ["net@1 predicts “dog” with confidence 0.61; cat@2 labels it absent",
    "net@1 sagt „dog“ mit Konfidenz 0,61 vorher; cat@2 sagt, sie ist nicht vorhanden"],
  ["superseded: labeled absent later as ann@y.org", "überholt: später nicht vorhanden als ann@y.org"],
  ["image erased by ann@x.org: “a face”", "Bild gelöscht von ann@x.org: “a face”"],
  ["The position of photo 3fa912345678… was erased for good, so it cannot get a pin.",
    "Der Ort des Fotos 3fa912345678… wurde endgültig gelöscht, daher kann es keinen Pin bekommen."],
  ["ann@x.org labeled oak present (0.9), previously absent",
    "ann@x.org: oak vorhanden (0,9), zuvor nicht vorhanden"],
  ["photo 3fa912345678: ann@x.org withdrew the label oak (was present)",
    "ann@x.org hat das Label oak zurückgezogen (war vorhanden)"],
  ["Committed 1 photo, 3 labels as 4f2a9c1; fast-forwarded to origin: 2 labels changed; origin is up to date.",
    "1 Foto, 3 Labels als 4f2a9c1 committet; auf den Stand von origin vorgerückt: 2 Labels geändert; origin ist auf dem neuesten Stand."],
  ["Nothing to commit; the remote could not be reached.",
    "Nichts zu committen; das Remote ist nicht erreichbar."],
  ["Invalid query at character 7: “label:” needs a value.",
    "Ungültige Suche bei Zeichen 7: nach „label:“ fehlt ein Wert."],
  ["Expected a class, such as label:dog or label:\"Cairn terrier\".",
    "Erwartet wird eine Klasse, zum Beispiel label:dog oder label:\"Cairn terrier\"."],
  ["Did you mean “hemlock”? `cairn class list` lists them.",
    "Ist “hemlock” gemeint? `cairn class list` listet sie auf."],
  ["The table is out of date. Open it again.", "Die Tabelle ist veraltet. Bitte neu öffnen."],
  ["waiting for labels (elm has 3 of 10 photos; oak is rejected on 0 of 10 photos)",
    "Warten auf Labels (elm hat 3 von 10 Fotos; oak ist auf 0 von 10 Fotos abgelehnt)"],
  ["People have labeled too few photos: elm has 3 of 10 photos; oak has 2 of 10 photos.",
    "Personen haben zu wenige Fotos gelabelt: elm hat 3 von 10 Fotos; oak hat 2 von 10 Fotos."],
  ["The 10 photos without elm count as only 2: near-duplicates count once, and so do photos of a pin with --group-by-pin.",
    "Die 10 Fotos ohne elm zählen nur als 2: Fast gleiche zählen einmal, und ebenso Fotos eines Pins, wenn sie zusammengehalten werden."],
  ["There is no labeler or trained model “trees”.",
    "Es gibt weder einen Labeler noch ein trainiertes Modell „trees“."],
  ["The model trees@0123456789ab is neither on this disk nor on the remote.",
    "Das Modell trees@0123456789ab ist weder auf diesem Datenträger noch auf dem Remote."],
  ["Flickr rejected the key.", "Flickr hat den Schlüssel abgelehnt."],
];

for (const [english, own] of cases) {
  test(`translates “${english}”`, () => assert.equal(say(english), own));
}

test("leaves other texts as they are", () => {
  for (const text of ["", ".", "x", "a\nb", "The model has 3 (three) parts; all [of] them.", "$& {name}"]) {
    assert.equal(say(text), text);
  }
});

test("a name with special characters stays as it is", () => {
  assert.equal(say("<b>$1</b> on 2 photos"), "<b>$1</b> auf 2 Fotos");
  assert.equal(say("There is no pin “a.*b”."), "Es gibt keinen Pin „a.*b“.");
});

test("both texts of a pair have the same values", () => {
  for (const [english, own] of Object.values(groups).flat()) {
    const names = (text) => [...text.matchAll(/\{(\w+)/g)].map((match) => match[1]);
    for (const name of names(own)) assert.ok(names(english).includes(name), `${own}: ${name}`);
  }
});

/** All string literals of the server and its libraries, with those that + joins as one. */
function serverTexts() {
  const sources = new URL(process.env.CAIRN_SOURCES ?? "../../../../Sources/", import.meta.url);
  const found = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".swift"))
    .map((entry) => readFileSync(`${entry.path}/${entry.name}`, "utf8"));
  assert.ok(found.length > 300);
  return found.join("\n").replace(/"\s*\+\s*"/g, "").replace(/\\"/g, "\"");
}

/** Parts that the server puts before, between or after others. */
const joints = ["on the whole photo", " later", " as ", "in the box", ", again", ", left out ", "there", "here",
  ", and rejected on this photo", "no photo", "only one photo", "on this photo", "Somebody", "%"];

/** Splits a text at the joints. */
const splitAtJoints = (text) => joints.reduce((parts, joint) => parts.flatMap((part) => part.split(joint)), [text]);

test("every English text is one that the server has", () => {
  const swift = serverTexts();
  const { counts, words, ...others } = groups;
  const unknown = [];
  for (const [english] of Object.values(others).flat()) {
    // A number and its noun are put together.
    const whole = english.replace(/(?:1|\{n\}) photos?$/, "");
    const parts = whole.split(/\{\w+[*,&]?\}/).flatMap((part) => swift.includes(part) ? [] : splitAtJoints(part));
    for (const part of parts) {
      const text = part.replace(/^[,:;.)(”“ ]+|[,:;.)(”“ ]+$/g, "");
      if (!swift.includes(text)) unknown.push(`“${text}” of “${english}”`);
    }
  }
  assert.deepEqual(unknown, []);
});
