// What a release changes in the GraphQL schema, as GraphQL Inspector finds it.
import { DiffRule, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const HEADINGS = {
  BREAKING: 'Breaking',
  DANGEROUS: 'For clients without a default for unknown values and types',
  NON_BREAKING: 'Safe',
};

/** Changes that say nothing beside another one: directives mark what is deprecated. */
const REPEATED = /^DIRECTIVE_USAGE_|_DESCRIPTION_/;

/** Returns the changes that are no part of another one: a new type has new fields, and a new field new arguments. */
function outermost(changes) {
  const added = new Set(
    changes.filter(({ type }) => /^(TYPE|FIELD|INPUT_FIELD)_ADDED$/.test(type)).map(({ path }) => path),
  );
  const isInside = ({ type, path = '' }) => {
    const parts = path.split('.');
    const own = /^(TYPE|FIELD|INPUT_FIELD)_ADDED$/.test(type) ? parts.length - 1 : parts.length;
    return parts.slice(0, own).some((_part, index) => added.has(parts.slice(0, index + 1).join('.')));
  };
  return changes.filter((change) => !REPEATED.test(change.type) && !isInside(change));
}

/** Returns a message of the Inspector as Markdown, its names as code. */
const asMarkdown = (message) => `- ${message.replace(/'([^']+)'/g, '`$1`').replace(/\.$/, '')}`;

/** Returns the differences between two schemas as Markdown, the ones that break clients first. */
export async function describeChanges(before, now) {
  const found = await diff(buildSchema(before), buildSchema(now), [DiffRule.ignoreDescriptionChanges]);
  const changes = outermost(found);
  const parts = Object.entries(HEADINGS).map(([level, heading]) => {
    const lines = changes.filter(({ criticality }) => criticality.level === level);
    return lines.length === 0
      ? []
      : [`**${heading}**\n\n${lines.map(({ message }) => asMarkdown(message)).join('\n')}`];
  });
  return parts.flat().join('\n\n') || 'The schema is the same.';
}

/**
 * Returns the document of schema changes with the section of a release.
 * @param baseline the name and the schema of what the release is compared with; null if there is nothing
 */
export async function addSchemaChanges(text, version, baseline, now) {
  const body =
    baseline === null
      ? 'There is no earlier schema to compare with.'
      : `Compared with ${baseline.name}.\n\n${await describeChanges(baseline.schema, now)}`;
  return `${text.trimEnd()}\n\n## ${version}\n\n${body}\n`;
}
