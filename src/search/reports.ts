/** How far back stored reports are looked at. */
export const newestReports = 1000;

/** The address of a stored report, as sources and hits name it. */
export const addressOfReport = (id: string): string => `report:${id}`;
