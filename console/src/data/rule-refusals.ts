import { ChangeDocument, LinkDocument } from '../generated/documents.ts';
import { ruleTexts } from '../rule-texts.ts';
import type { RefusedField } from './faults.ts';
import { readNow } from './read.ts';
import { type RuleTestField, toTestField } from './rule-fields.ts';
import { describeTest } from './rule-words.ts';
import type { Session } from './session.ts';

/** The tests that a link would have if a change were taken back. */
async function testsBefore({ client }: Session, id: string): Promise<readonly RuleTestField[]> {
  const { data } = await readNow(client, ChangeDocument, { id });
  const change = data?.change;
  if (!change) return [];
  const changed = change.values.find(({ name }) => name === 'ruleTests');
  if (changed !== undefined) {
    const before: unknown = JSON.parse(changed.before ?? '[]');
    return Array.isArray(before) ? before.map(toTestField) : [];
  }
  const read = await readNow(client, LinkDocument, { id: change.recordId });
  return read.data?.link?.ruleTests.map(toTestField) ?? [];
}

/** Names the tests that fail if a change is taken back; null if they are unknown. */
export async function describeRefusedTests(
  session: Session,
  changeId: string,
  refused: readonly RefusedField[],
): Promise<string | null> {
  const tests = await testsBefore(session, changeId);
  const failed = refused.flatMap(({ path: [, index] }) => tests[Number(index)] ?? []);
  if (failed.length === 0) return null;
  const t = ruleTexts;
  return [t.unchanged, ...failed.map((test) => t.wouldFail(describeTest(test)))].join(' ');
}
