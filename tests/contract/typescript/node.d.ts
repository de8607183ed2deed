// What the programs here use of Node; the rest of @types/node is not needed for it.
declare const process: { argv: string[]; exitCode: number; stdin: unknown; exit(code: number): never };
declare module "node:readline" {
  export function createInterface(options: { input: unknown }): AsyncIterable<string>;
}
declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function writeFileSync(path: string, text: string): void;
}
