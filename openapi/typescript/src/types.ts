/** Types of requests and answers, by the paths of the contract. */

import type { components, paths } from "./contract.js";

export type Schemas = components["schemas"];
export type Option = Schemas["OptionsView"]["options"][number];
export type Options = Schemas["OptionsView"];
export type Command = Schemas["OneCommand"]["command"];
export type Played = Schemas["Played"];
export type Waiting = Schemas["Waiting"];
export type Schema = Schemas["ValueSchema"];

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that take a method. */
export type Path<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];

type Operation<P extends Path<M>, M extends Method> = paths[P][M];
type Content<T> = T extends { content: { "application/json": infer C } } ? C : never;
type Part<T, Where extends string> = T extends { parameters: { [W in Where]?: infer N } } ? ([N] extends [undefined] ? {} : NonNullable<N>) : {};

/** The parameters of a path. A value may be a number instead of text. */
type Named<T> = { [Name in keyof T]: T[Name] | number };

/** The parameters of a request: those in the path and those of the query, by their names. */
export type Given<P extends Path<M>, M extends Method> = Named<Part<Operation<P, M>, "path">> & Part<Operation<P, M>, "query">;

/** The answer of an endpoint. */
export type Answer<P extends Path<M>, M extends Method> = Operation<P, M> extends { responses: infer R }
  ? Content<R[keyof R & (200 | 201 | 202)]>
  : never;

/** The paths of lists, which come in pages. */
export type ListPath = { [P in Path<"get">]: Answer<P, "get"> extends { items: readonly unknown[]; next: unknown } ? P : never }[Path<"get">];

/** The items of a list. */
export type Item<P extends ListPath> = Answer<P, "get"> extends { items: readonly (infer T)[] } ? T : never;

/** The request body of an endpoint; undefined if it takes none. */
export type Body<P extends Path<M>, M extends Method> = Operation<P, M> extends { requestBody?: infer B }
  ? Content<NonNullable<B>>
  : undefined;
