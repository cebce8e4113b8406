/**
 * @generated SignedSource<<82febfd04c051b2cacde9e1aee0c996d>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayOperationsRenameMutation$variables = {
  id: string;
  seen: string;
  title: string;
};
export type relayOperationsRenameMutation$data = {
  readonly updateLink: {
    readonly __typename: "ConflictError";
    readonly current: {
      readonly nodeId?: string;
      readonly title?: string | null | undefined;
      readonly updatedAt?: string;
    };
    readonly message: string;
  } | {
    readonly __typename: "Link";
    readonly nodeId: string;
    readonly title: string | null | undefined;
    readonly updatedAt: string;
  } | {
    readonly __typename: "NotFoundError";
    readonly message: string;
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
export type relayOperationsRenameMutation$rawResponse = {
  readonly updateLink: {
    readonly __typename: "ConflictError";
    readonly current: {
      readonly __typename: "Link";
      readonly nodeId: string;
      readonly title: string | null | undefined;
      readonly updatedAt: string;
    } | {
      readonly __typename: string;
      readonly nodeId: string;
    };
    readonly message: string;
  } | {
    readonly __typename: "Link";
    readonly __isNode: "Link";
    readonly nodeId: string;
    readonly title: string | null | undefined;
    readonly updatedAt: string;
  } | {
    readonly __typename: "NotFoundError";
    readonly message: string;
  } | {
    readonly __typename: "ValidationError";
    readonly fields: ReadonlyArray<{
      readonly messages: ReadonlyArray<string>;
      readonly path: ReadonlyArray<string>;
    }>;
    readonly message: string;
  } | {
    readonly __typename: string;
    readonly __isNode?: string;
    readonly nodeId?: string;
  };
};
export type relayOperationsRenameMutation = {
  rawResponse: relayOperationsRenameMutation$rawResponse;
  response: relayOperationsRenameMutation$data;
  variables: relayOperationsRenameMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "id"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "seen"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "title"
},
v3 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  },
  {
    "kind": "Variable",
    "name": "ifUpdatedAt",
    "variableName": "seen"
  },
  {
    "fields": [
      {
        "kind": "Variable",
        "name": "title",
        "variableName": "title"
      }
    ],
    "kind": "ObjectValue",
    "name": "input"
  }
],
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "__typename",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "nodeId",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "updatedAt",
  "storageKey": null
},
v8 = {
  "kind": "InlineFragment",
  "selections": [
    (v5/*:: as any*/),
    (v6/*:: as any*/),
    (v7/*:: as any*/)
  ],
  "type": "Link",
  "abstractKey": null
},
v9 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "message",
  "storageKey": null
},
v10 = {
  "kind": "InlineFragment",
  "selections": [
    (v9/*:: as any*/)
  ],
  "type": "NotFoundError",
  "abstractKey": null
},
v11 = {
  "kind": "InlineFragment",
  "selections": [
    (v9/*:: as any*/),
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
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "relayOperationsRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "updateLink",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          (v8/*:: as any*/),
          (v10/*:: as any*/),
          (v11/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v9/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "current",
                "plural": false,
                "selections": [
                  (v8/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "type": "ConflictError",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v2/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "relayOperationsRenameMutation",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "updateLink",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          (v8/*:: as any*/),
          (v10/*:: as any*/),
          (v11/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v9/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "current",
                "plural": false,
                "selections": [
                  (v4/*:: as any*/),
                  (v5/*:: as any*/),
                  {
                    "kind": "InlineFragment",
                    "selections": [
                      (v6/*:: as any*/),
                      (v7/*:: as any*/)
                    ],
                    "type": "Link",
                    "abstractKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "type": "ConflictError",
            "abstractKey": null
          },
          {
            "kind": "InlineFragment",
            "selections": [
              (v5/*:: as any*/)
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
    "cacheID": "775b175ac5fdaf733800ad4a4bca2fb7",
    "id": null,
    "metadata": {},
    "name": "relayOperationsRenameMutation",
    "operationKind": "mutation",
    "text": "mutation relayOperationsRenameMutation(\n  $id: ID!\n  $title: String!\n  $seen: DateTime!\n) {\n  updateLink(id: $id, input: {title: $title}, ifUpdatedAt: $seen) {\n    __typename\n    ... on Link {\n      nodeId\n      title\n      updatedAt\n    }\n    ... on NotFoundError {\n      message\n    }\n    ... on ValidationError {\n      message\n      fields {\n        path\n        messages\n      }\n    }\n    ... on ConflictError {\n      message\n      current {\n        __typename\n        ... on Link {\n          nodeId\n          title\n          updatedAt\n        }\n        nodeId\n      }\n    }\n    ... on Node {\n      __isNode: __typename\n      nodeId\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "daeb832230db0a745198bc7c55f0afbe";

export default node;
