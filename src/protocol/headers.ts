/** The header with the trace that a run belongs to, as Temporal's own OpenTelemetry interceptors name it in all SDKs. */
export const traceHeader = '_tracer-data';

/** The header of an activity that says to which store its run belongs, by `Store.identity`. */
export const storeHeader = 'reprise-store';

/** The details of the failure `OtherStore`. */
export interface StoreRefusal {
  /** Whether an earlier try may have reached a worker with the run's store. */
  mayHaveRun: boolean;
}

/** The global of the workflows' sandbox by which a worker says that failures are to be encrypted. */
export const encryptsGlobal = 'repriseEncrypts';
