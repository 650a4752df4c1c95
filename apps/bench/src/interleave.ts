/** Takes `rounds` samples of each subject in turn (A B A B …), so that drift meets all alike. */
export async function interleave<Subject, Sample>(
  subjects: readonly Subject[],
  rounds: number,
  take: (subject: Subject, round: number) => Promise<Sample>,
): Promise<Sample[][]> {
  const samples = subjects.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      samples[index]?.push(await take(subject, round));
    }
  }
  return samples;
}
