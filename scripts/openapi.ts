// Writes v1's OpenAPI document to a file: tsx scripts/openapi.ts FILE
import { writeFileSync } from 'node:fs';
import { openApi } from '../src/rest/description.ts';

writeFileSync(process.argv[2] ?? '', JSON.stringify(openApi()));
