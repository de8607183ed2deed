/**
 * Options of a seat: what they are called, how their forms show them, and whether what was chosen is still offered.
 * @module
 */

/** @import { Decision, Option } from "../types.js" */

import { choicesOf, fromNothing, isSame } from "../forms/schema.js";
import { named } from "../parts/format.js";

/**
 * What is asked, without who has to answer it.
 * @typedef {Omit<Decision, "seats">} Question
 */

/** Return what an option is called. @param {{title?: string, command: string}} option */
export function titleOf({ title, command }) {
  return title || named(command);
}

/** Return an option whose optional counts may also be 0 (`fromNothing`). @param {Option} option */
export function forForm(option) {
  return { ...option, schema: fromNothing(option.schema) };
}

/**
 * Return `options`, but use the old object for each option that is equal to an old one, so forms that are being filled
 * in keep their state.
 * @param {Option[]} options
 * @param {Option[]} before
 */
export function asBefore(options, before) {
  const known = new Map(before.map((option) => [JSON.stringify(option), option]));
  const result = options.map((option) => known.get(JSON.stringify(option)) ?? option);
  return result.length === before.length && result.every((option, at) => option === before[at]) ? before : result;
}

/** Return the versions to which an undo can go back. @param {Option} undo */
export function versionsOf({ schema }) {
  return /** @type {number[]} */ (choicesOf(schema.properties.to));
}

/**
 * Return the open questions that an option answers, without their seats.
 * @param {Option} option
 * @param {Decision[]} decisions
 * @returns {Question[]}
 */
export function questionsOf({ decision }, decisions) {
  const open = decisions.filter(({ kind }) => kind === decision);
  return open.map(({ seats, ...question }) => question);
}

/**
 * Say what has changed for a player who chose an option; an empty text when nothing has.
 * @param {Option} option
 * @param {Question[]} before what it answered then
 * @param {{decisions: Decision[], options: Option[]}} now
 */
export function changes(option, before, { decisions, options }) {
  const questions = questionsOf(option, decisions);
  if (before.length && !questions.length) return "You are no longer asked.";
  if (!isSame(titlesOf(before), titlesOf(questions))) return "You are asked something else now.";
  if (!isSame(before, questions)) return "What you are asked about has changed.";
  if (options.some((each) => isSame(each, option))) return "";
  const isOffered = options.some(({ command, title }) => command === option.command && title === option.title);
  return isOffered ? "What you can choose from has changed." : "What you chose is no longer possible.";
}

/** @param {Question[]} questions */
function titlesOf(questions) {
  return questions.map(({ title }) => title);
}
