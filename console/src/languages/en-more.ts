/** The texts of comparisons over time and of the columns of imports. */
export const moreTexts = {
  compare: {
    title: 'Comparison',
    end: 'Stop comparing',
    without: (name: string) => `Remove ${name}`,
    hint: (most: number) =>
      `Choose up to ${most} spaces, tags or links here, or mark values and links in the lists below.`,
    chart: (names: string) => `Clicks over time: ${names}`,
    add: 'Add a line',
    placeholder: 'Add a space, tag or link',
  },
  columns: {
    title: 'Columns',
    hint: 'Choose what each column holds. The lines are checked again.',
    name: 'Column',
    readsAs: (name: string) => `Read ${name} as`,
    examples: 'Examples',
    byName: 'Recognised by name',
    none: 'Do not import',
    column: (at: number) => `Column ${at}`,
    fields: {
      url: 'Destination',
      alias: 'Alias',
      short_url: 'Short URL',
      title: 'Title',
      space: 'Space',
      tags: 'Tags',
      notes: 'Notes',
      starts_at: 'Start',
      expires_at: 'End',
    },
  },
};

export type MoreTexts = typeof moreTexts;
