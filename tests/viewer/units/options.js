// Options of which units are made.

/** An option of a command with these fields. */
export function option(command, properties, gesture, required = []) {
  const schema = { type: "object", properties: { type: { const: command }, ...properties }, required };
  return { command, title: command, schema: gesture ? { ...schema, "x-gesture": gesture } : schema };
}

export const one = (...values) => ({ enum: values });
export const some = (...values) => ({
  type: "array",
  items: { enum: values },
  minItems: 0,
  maxItems: values.length,
  uniqueItems: true,
});
export const count = (minimum, maximum) => ({ type: "integer", minimum, maximum });
