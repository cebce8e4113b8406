import { texts } from '../texts.ts';
import { countryName, languageName, nameIn } from '../words/format.ts';
import { countryWords, platformWords } from '../words/names.ts';
import type { TargetList } from './link-fields.ts';

/** A country, language or system that targets can be for. */
export interface TargetChoice {
  readonly id: string;
  readonly name: string;
  /** Other words that find it. */
  readonly words?: readonly string[] | undefined;
}

/** ISO 3166-1 alpha-2 and XK, as in the API. */
const countries =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'.split(
    ' ',
  );

/** ISO 639-1. */
const languages =
  'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'.split(
    ' ',
  );

/** Those without a name come last. Browsers may have one name for two languages, such as “ak” and “tw”. */
function byName(items: TargetChoice[]): TargetChoice[] {
  const first = new Map([...items].reverse().map(({ id, name }) => [name, id]));
  return items
    .map((item) => (first.get(item.name) === item.id ? item : { ...item, name: `${item.name} (${item.id})` }))
    .sort((a, b) => Number(a.name === a.id) - Number(b.name === b.id) || a.name.localeCompare(b.name));
}

/** The name of a country in its own most usual language. */
const ownCountryName = (id: string): string =>
  nameIn(new Intl.Locale('und', { region: id }).maximize().language, 'region', id);

const made = new Map<TargetList, readonly TargetChoice[]>();

function make(list: TargetList): TargetChoice[] {
  if (list === 'COUNTRY')
    return byName(
      countries.map((id) => ({
        id,
        name: countryName(id),
        words: [id, ownCountryName(id), ...(countryWords[id] ?? [])],
      })),
    );
  if (list === 'LANGUAGE')
    return byName(
      languages.map((id) => ({ id, name: languageName(id), words: [id, nameIn(id, 'language', id)] })),
    );
  if (list === 'PLATFORM')
    return Object.entries(texts.platforms).map(([id, name]) => ({
      id,
      name: name ?? id,
      words: platformWords[id],
    }));
  return [];
}

/** The choice of a target; null if this version does not know it. */
export const targetChoice = (list: TargetList, key: string): TargetChoice | null =>
  targetChoices(list).find(({ id }) => id === key) ?? null;

/** The choices for targets of a kind. */
export function targetChoices(list: TargetList): readonly TargetChoice[] {
  const choices = made.get(list) ?? make(list);
  made.set(list, choices);
  return choices;
}
