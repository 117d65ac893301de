export const unequalNote =
  'rows of a table in it have different numbers of cells, as where cells are merged: a cell may stand left of its column';

/** Whether rows of one table have different numbers of cells, told as its cells, rows and tables end. */
export class RowLengths {
  areUnequal = false;
  #cells = 0;
  #before: number | undefined;

  endCell(): void {
    this.#cells += 1;
  }

  endRow(): void {
    if (this.#before !== undefined && this.#before !== this.#cells) this.areUnequal = true;
    this.#before = this.#cells;
    this.#cells = 0;
  }

  /** A paragraph outside of tables, or one whose table does not say that it is in it. */
  endTable(): void {
    this.#before = undefined;
  }
}
