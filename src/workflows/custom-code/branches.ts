/** A node in a tree of conversations. The path to it is what was said so far. */
class Branch<Place> {
  place: Place | undefined;
  readonly next = new Map<string, Branch<Place>>();
}

/** Finds the conversation that some messages continue. A place is what the caller knows a conversation by. */
export class Branches<Message, Place> {
  readonly #root = new Branch<Place>();

  /** Notes the place of the conversation that consists of these messages. */
  set(messages: Message[], place: Place): void {
    let branch = this.#root;
    for (const message of messages) {
      const key = JSON.stringify(message);
      const next = branch.next.get(key) ?? new Branch<Place>();
      branch.next.set(key, next);
      branch = next;
    }
    branch.place = place;
  }

  /** The place and length of the longest known beginning of these messages; undefined and 0 when none is known. */
  find(messages: Message[]): { place: Place | undefined; length: number } {
    let found: { place: Place | undefined; length: number } = { place: undefined, length: 0 };
    let branch: Branch<Place> | undefined = this.#root;
    for (const [index, message] of messages.entries()) {
      branch = branch.next.get(JSON.stringify(message));
      if (branch === undefined) break;
      if (branch.place !== undefined) found = { place: branch.place, length: index + 1 };
    }
    return found;
  }
}
