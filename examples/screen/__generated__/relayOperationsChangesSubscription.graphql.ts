/**
 * @generated SignedSource<<265d482a4e78304a7fdea5852639a970>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayOperationsChangesSubscription$variables = Record<PropertyKey, never>;
export type relayOperationsChangesSubscription$data = {
  readonly changes: {
    readonly nodeId: string;
  };
};
export type relayOperationsChangesSubscription = {
  response: relayOperationsChangesSubscription$data;
  variables: relayOperationsChangesSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "Change",
    "kind": "LinkedField",
    "name": "changes",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "nodeId",
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "relayOperationsChangesSubscription",
    "selections": (v0/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "relayOperationsChangesSubscription",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "cacheID": "b968e90277359bc9cc247e46d74517c0",
    "id": null,
    "metadata": {},
    "name": "relayOperationsChangesSubscription",
    "operationKind": "subscription",
    "text": "subscription relayOperationsChangesSubscription {\n  changes {\n    nodeId\n  }\n}\n"
  }
};
})();

(node as any).hash = "dfde8747d36340c3376b0d86c62ef012";

export default node;
