/** Let everything happen that an answer leads to. */
export async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
