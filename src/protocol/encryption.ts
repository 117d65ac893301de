/** The global of the workflows' sandbox by which a worker says that failures are to be encrypted. */
export const encryptsGlobal = 'repriseEncrypts';
