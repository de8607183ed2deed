/**
 * Which lessons were done on this device. Only this browser knows.
 * @module
 */

const KEPT = "tabularium-lessons";

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

/**
 * Return the lessons of a ruleset's tutorial that were done.
 * @param {string} ruleset
 * @returns {Set<string>}
 */
export function doneIn(ruleset) {
  const found = read()[ruleset];
  return new Set(Array.isArray(found) ? found : []);
}

/**
 * Remember that a lesson was done.
 * @param {string} ruleset
 * @param {string} lesson
 */
export function noteDone(ruleset, lesson) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...read(), [ruleset]: [...doneIn(ruleset).add(lesson)] }));
  } catch {
    // Without a storage the tutorial works, and forgets which lessons were done.
  }
}
