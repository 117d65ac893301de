import { answerRoom } from '../protocol/questions.ts';

/** There is no run of that id, or it has ended: it takes nothing from a person. */
export class RunNotOpenError extends Error {
  override name = 'RunNotOpenError';
}

/** An answer that no run would take; nothing was sent. */
export class AnswerTooLongError extends Error {
  override name = 'AnswerTooLongError';

  constructor(characters: number) {
    const [found, room] = [characters, answerRoom].map((each) => each.toLocaleString('en-US'));
    super(`The answer has ${found} characters, and all answers of a session may have ${room} together`);
  }
}
