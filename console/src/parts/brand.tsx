import type { ReactElement } from 'react';
import { texts } from '../texts.ts';

/** The name of the product beside its logo, which the service has at `/favicon.ico`: the contents of a link of the class `brand`. */
export function Brand(): ReactElement {
  return (
    <>
      <img src="/favicon.ico" alt="" width="28" height="28" />
      {texts.product}
    </>
  );
}
