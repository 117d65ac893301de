/** The header of an activity that says to which store its run belongs, by `Store.identity`. Earlier versions send none. */
export const storeHeader = 'reprise-store';

/** The details of the failure `OtherStore`. */
export interface StoreRefusal {
  /** Whether an earlier try may have reached a worker with the run's store. */
  mayHaveRun: boolean;
}
