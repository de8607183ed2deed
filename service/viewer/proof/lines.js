/**
 * The lines of an export of a game or a case: each is an object in its canonical form, and the rows form a hash chain.
 * @module
 */

/** @import { Json, JsonObject, Row } from "../types.js" */

import { canonical, commitmentOf, hex, joined, sha256, unhex, utf8 } from "./canonical.js";
import { isOf } from "./fields.js";

const TOGETHER = 250; // Hashes that are computed at once.
const ROW = ["at", "draws", "event", "game", "hash", "schema", "version"];

/** What is wrong with an export, and where. */
export class Fault extends Error {
  /**
   * @param {string} problem
   * @param {{line?: number, version?: number}} where
   */
  constructor(problem, where = {}) {
    super(`${problem[0].toUpperCase()}${problem.slice(1)}.`);
    this.line = where.line;
    this.version = where.version;
  }
}

/** Return the lines of a file. @param {string} text */
export function split(text) {
  const lines = text.split("\n");
  if (lines.length === 1) throw new Fault("the export is empty", { line: 1 });
  if (lines.pop() !== "") throw new Fault("the export is cut off", { line: lines.length + 1 });
  return lines;
}

/**
 * Parse a line. Throws a fault unless it is an object in its canonical form that has the members `names`, and no others
 * but the optional ones.
 * @param {string} line
 * @param {number} number the number of the line
 * @param {string[]} names
 * @param {string[]} [optional]
 * @param {number} [version] the version that the line records
 * @returns {JsonObject}
 */
export function readLine(line, number, names, optional = [], version = undefined) {
  const where = { line: number, version };
  const whose = version ? `version ${version}` : `line ${number}`;
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Fault(`${whose} is not JSON`, where);
  }
  requireShape(value, names, optional, number, version);
  let exact = false;
  try {
    exact = canonical(value) === line;
  } catch (error) {
    throw new Fault(
      `${whose} is not in the canonical form of RFC 8785: ${/** @type {Error} */ (error).message}`,
      where,
    );
  }
  if (!exact) throw new Fault(`${whose} is not in the canonical form of RFC 8785`, where);
  return value;
}

/**
 * Throw a fault unless a value is an object with these members, and at most the optional ones besides.
 * @param {unknown} value
 * @param {string[]} names
 * @param {string[]} optional
 * @param {number} line
 * @param {number} [version]
 */
export function requireShape(value, names, optional, line, version = undefined) {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const known = isObject && Object.keys(value).every((name) => names.includes(name) || optional.includes(name));
  if (known && names.every((name) => Object.hasOwn(value, name))) return;
  throw new Fault(`${version ? `version ${version}` : `line ${line}`} is not of the known shape`, { line, version });
}

/**
 * Read the rows of a stream, and check its chain of hashes.
 * @param {Pick<Row, "hash" | "draws">[]} rows an empty list, to which the rows are added
 * @param {string[]} lines
 * @param {string} stream the id of the game or case
 * @param {number} headerLine the number of the line before the first row
 * @param {(done: number) => void} progress
 */
export async function readRows(rows, lines, stream, headerLine, progress) {
  const previous = [await sha256(utf8(`tabularium/1 ${stream}`))];
  for (let start = 0; start < lines.length; start += TOGETHER) {
    const batch = lines.slice(start, start + TOGETHER);
    const hashes = await Promise.all(
      batch.map((line, index) => hashed(rows, line, start + index + 1, stream, headerLine, previous)),
    );
    const broken = hashes.findIndex((hash, index) => hash !== rows[start + index].hash);
    if (broken >= 0) {
      const version = start + broken + 1;
      throw new Fault(`the hash of version ${version} does not continue the chain`, {
        line: headerLine + version,
        version,
      });
    }
    progress(start + batch.length);
  }
}

/**
 * Read a row and add it to `rows`. Returns a promise of the hash that it should have.
 * @param {Pick<Row, "hash" | "draws">[]} rows
 * @param {string} line
 * @param {number} version
 * @param {string} stream
 * @param {number} headerLine
 * @param {Uint8Array[]} previous a list of one hash, that of the row before; the hash of this row replaces it
 */
function hashed(rows, line, version, stream, headerLine, previous) {
  const where = { line: headerLine + version, version };
  const row = /** @type {Row} */ (readLine(line, headerLine + version, ROW, ["cause"], version));
  if (row.version !== version) throw new Fault(`expected version ${version}, found version ${row.version}`, where);
  if (row.game !== stream) throw new Fault(`version ${version} is of another game`, where);
  const known = isOf("number", row.draws) && isOf("number", row.schema) && row.schema >= 1 && isOf("text", row.hash);
  if (!known || !isOf("any{}", row.event) || !isOf("text", row.event.type)) {
    throw new Fault(`version ${version} is not of the known shape`, where);
  }
  if (row.draws < (rows.at(-1)?.draws ?? 0)) {
    throw new Fault(`version ${version} counts fewer draws of chance than the version before it`, where);
  }
  if (!/^[0-9a-f]{64}$/.test(row.hash)) throw new Fault(`the hash of version ${version} is not 64 hex digits`, where);
  // In a canonical line, only two numbers follow the hash of the row, so the last "hash" is not one in the event.
  const own = line.lastIndexOf('"hash":"');
  const bytes = utf8(line.slice(0, own) + line.slice(own + '"hash":"",'.length + row.hash.length));
  const before = previous.pop() ?? new Uint8Array();
  previous.push(unhex(row.hash));
  rows.push(row);
  return sha256(joined(before, bytes)).then(hex);
}

/**
 * Check the last line of a file: its digest, which is over all bytes before it, and its other members.
 * @param {string} text
 * @param {string} last
 * @param {number} line the number of the last line
 * @param {Record<string, Json>} right the members that it should have besides the digest
 */
export async function checkEnd(text, last, line, right) {
  if (!last.startsWith('{"end":')) throw new Fault("the last line is missing", { line: line + 1 });
  const { end } = /** @type {{end: JsonObject}} */ (readLine(last, line, ["end"]));
  const names = ["digest", ...Object.keys(right)].sort();
  requireShape(end, names, [], line);
  const digest = `sha256:${hex(await sha256(utf8(text.slice(0, text.length - last.length - 1))))}`;
  for (const name of names) {
    const [found, expected] = [end[name], /** @type {JsonObject} */ ({ digest, ...right })[name]];
    if (found !== expected) throw new Fault(`the last line has ${name} ${found}; expected ${expected}`, { line });
  }
}

/**
 * Tell whether a commitment is that of a value and its salt.
 * @param {string} salt
 * @param {Json} value
 * @param {string} commitment
 */
export async function isGenuine(salt, value, commitment) {
  return /^[0-9a-f]{32}$/.test(salt) && (await commitmentOf(salt, value)) === commitment;
}

/**
 * Tell whether a value is an object with these members and no others.
 * @param {unknown} value
 * @param {string[]} names
 */
export function hasExactly(value, names) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const own = Object.keys(value);
  return own.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/**
 * Yield every object in a JSON value.
 * @param {unknown} value
 * @returns {Generator<object, void>}
 */
export function* objects(value) {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value;
  for (const part of Object.values(value)) yield* objects(part);
}
