import './scalars.ts';
import './people.ts';
import './viewer.ts';
import './space.ts';
import './tag.ts';
import './domain.ts';
import './pixel.ts';
import './utm-template.ts';
import './link/link.ts';
import './link/explain.ts';
import './link/import.ts';
import './statistics.ts';
import './change.ts';
import './webhook.ts';
import { builder } from './builder.ts';
import { withTraces } from './traced.ts';

export const schema = withTraces(builder.toSchema());

/** The same for documents whose rows have all that their fields select. */
export const coveredSchema = (): typeof schema => withTraces(builder.toSchema({ isCovered: true }));
