/** Counts the turns of the event loop that others get until some work is done. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isCounting = true;
  const count = () => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isCounting = false;
  return turns;
}
