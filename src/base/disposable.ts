/**
 * Disposable: something that must be let go of, and a bag of such things.
 */
export interface Disposable {
  dispose(): void;
}

export const toDisposable = (dispose: () => void): Disposable => ({ dispose });

/** Disposes in reverse order of adding; a second dispose does nothing. */
export class DisposableBag implements Disposable {
  #items: Disposable[] = [];

  add<T extends Disposable>(item: T): T {
    this.#items.push(item);
    return item;
  }

  dispose(): void {
    const items = this.#items.reverse();
    this.#items = [];
    for (const item of items) item.dispose();
  }
}
