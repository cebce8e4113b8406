/** The state of an address that shows a link over the list. In another tab, the address has a page of its own. */
export const overList = { isOver: true } as const;

export const isOverList = (): boolean => history.state?.isOver === true;
