/**
 * @generated SignedSource<<b2f1759cff5003f2d0e2c63f8916677a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type LinkPrivacy = "PASSWORD" | "PRIVATE" | "PUBLIC" | "%future added value";
export type Platform = "ANDROID" | "CHROME_OS" | "IOS" | "LINUX" | "OS_X" | "UBUNTU" | "WINDOWS" | "%future added value";
export type TargetType = "COUNTRY" | "LANGUAGE" | "NONE" | "PLATFORM" | "ROTATION" | "%future added value";
export type CreateLinkInput = {
  alias?: string | null | undefined;
  disabled?: boolean | null | undefined;
  domainId?: string | null | undefined;
  expiration?: LinkExpirationInput | null | undefined;
  externalId?: string | null | undefined;
  forwardsQuery?: boolean | null | undefined;
  password?: string | null | undefined;
  pixelIds?: ReadonlyArray<string> | null | undefined;
  privacy?: LinkPrivacy | null | undefined;
  privacyPassword?: string | null | undefined;
  reuse?: boolean | null | undefined;
  spaceId?: string | null | undefined;
  tagIds?: ReadonlyArray<string> | null | undefined;
  targeting?: LinkTargetingInput | null | undefined;
  title?: string | null | undefined;
  url: string;
  utmOnTargets?: boolean | null | undefined;
  utmTemplateId?: string | null | undefined;
};
export type LinkExpirationInput = {
  at?: string | null | undefined;
  clicks?: number | null | undefined;
  url?: string | null | undefined;
};
export type LinkTargetingInput = {
  countries?: ReadonlyArray<CountryTargetInput> | null | undefined;
  languages?: ReadonlyArray<LanguageTargetInput> | null | undefined;
  platforms?: ReadonlyArray<PlatformTargetInput> | null | undefined;
  rotation?: ReadonlyArray<string> | null | undefined;
  type?: TargetType | null | undefined;
};
export type CountryTargetInput = {
  country: string;
  url: string;
};
export type LanguageTargetInput = {
  language: string;
  url: string;
};
export type PlatformTargetInput = {
  platform: Platform;
  url: string;
};
export type relayOperationsCreateMutation$variables = {
  input: CreateLinkInput;
};
export type relayOperationsCreateMutation$data = {
  readonly createLink: {
    readonly __typename: "Link";
    readonly id: string;
    readonly nodeId: string;
    readonly shortUrl: string;
    readonly title: string | null | undefined;
    readonly updatedAt: string;
  } | {
    readonly __typename: "ValidationError";
    readonly fields: ReadonlyArray<{
      readonly messages: ReadonlyArray<string>;
      readonly path: ReadonlyArray<string>;
    }>;
    readonly message: string;
  } | {
    // This will never be '%other', but we need some
    // value in case none of the concrete values match.
    readonly __typename: "%other";
  };
};
export type relayOperationsCreateMutation = {
  response: relayOperationsCreateMutation$data;
  variables: relayOperationsCreateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "__typename",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "nodeId",
  "storageKey": null
},
v4 = {
  "kind": "InlineFragment",
  "selections": [
    (v3/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "id",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "title",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "shortUrl",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "updatedAt",
      "storageKey": null
    }
  ],
  "type": "Link",
  "abstractKey": null
},
v5 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "FieldError",
      "kind": "LinkedField",
      "name": "fields",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "path",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "messages",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "ValidationError",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayOperationsCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "createLink",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v4/*:: as any*/),
          (v5/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayOperationsCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "createLink",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v4/*:: as any*/),
          (v5/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v3/*:: as any*/)
            ],
            "type": "Node",
            "abstractKey": "__isNode"
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "0eaf9b5f5be374ba8f3477a8f0edf231",
    "id": null,
    "metadata": {},
    "name": "relayOperationsCreateMutation",
    "operationKind": "mutation",
    "text": "mutation relayOperationsCreateMutation(\n  $input: CreateLinkInput!\n) {\n  createLink(input: $input) {\n    __typename\n    ... on Link {\n      nodeId\n      id\n      title\n      shortUrl\n      updatedAt\n    }\n    ... on ValidationError {\n      message\n      fields {\n        path\n        messages\n      }\n    }\n    ... on Node {\n      __isNode: __typename\n      nodeId\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "244af0f82c73a5bf180e920fbfe7f25a";

export default node;
