/** A place in a tree of conversations: what was said up to here is the path that leads to it. */
interface Branch<Place> {
  place: Place | undefined;
  next: Map<string, Branch<Place>>;
}

const newBranch = <Place>(): Branch<Place> => ({ place: undefined, next: new Map() });

/** Remembers where conversations stand, so that one that goes on is told from one that begins. */
export class Branches<Message, Place> {
  readonly #root: Branch<Place> = newBranch();

  /** Says where a conversation stands after these messages. */
  set(messages: Message[], place: Place): void {
    let branch = this.#root;
    for (const message of messages) {
      const key = JSON.stringify(message);
      const next = branch.next.get(key) ?? newBranch<Place>();
      branch.next.set(key, next);
      branch = next;
    }
    branch.place = place;
  }

  /** The longest known beginning of these messages: its place, and how many messages it has; none: undefined and 0. */
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
