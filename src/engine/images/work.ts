import { Worker } from 'node:worker_threads';
import { entryFile } from '../tools/own-files.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';
import { TooMuchWaiting, Turns } from '../tools/turns.ts';
import { type ImageFault, ImageRefused } from './fault.ts';
import type { ReadImage } from './header.ts';

/** The form of a made image: within a square of `maxSide`, and a JPEG within a number of bytes. */
export type ImageForm =
  | { readonly format: 'jpeg'; readonly maxSide: number; readonly maxBytes: number }
  | { readonly format: 'png'; readonly maxSide: number };

/** An image that was decoded and encoded anew: it has nothing of the given bytes, and no metadata. */
export interface MadeImage {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The question to the thread. */
export interface CodecQuestion {
  readonly image: ReadImage;
  readonly form: ImageForm;
}

export type CodecAnswer = MadeImage | { readonly fault: ImageFault };

/** Milliseconds for one image, and how many may wait. */
const TIMEOUT = 5_000;
const MAX_WAITING = 20;
/** Megabytes of objects in a thread; pixels are not among them. */
const MAX_OBJECTS = 64;

interface WorkLimits {
  /** The result of work, or TIMED_OUT if it took too long. */
  within?<T>(work: Promise<T>): Promise<T | typeof TIMED_OUT>;
  readonly maxWaiting?: number;
}

/** Makes images, one at a time: each in a thread of its own, which is ended if it takes too long. Owners take turns. */
export class ImageWork {
  readonly #turns = new Turns({ max: 1 });
  readonly #within: NonNullable<WorkLimits['within']>;
  readonly #maxWaiting: number;
  #present = 0;

  constructor({ within, maxWaiting = MAX_WAITING }: WorkLimits = {}) {
    this.#within = within ?? ((work) => withTimeout(TIMEOUT, work));
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Makes an image of another one.
   * @throws ImageRefused; TooMuchWaiting if too many images wait
   */
  async make(owner: string, image: ReadImage, form: ImageForm): Promise<MadeImage> {
    if (this.#present > this.#maxWaiting) throw new TooMuchWaiting('too many images wait');
    this.#present++;
    try {
      return await this.#turns.take(owner, () => this.#makeNow({ image, form }));
    } finally {
      this.#present--;
    }
  }

  async #makeNow(question: CodecQuestion): Promise<MadeImage> {
    const thread = new Worker(entryFile('engine/images/codec-thread'), {
      workerData: question,
      resourceLimits: { maxOldGenerationSizeMb: MAX_OBJECTS },
      // What a codec prints is about a stranger's file.
      stdout: true,
      stderr: true,
    });
    const answered = new Promise<CodecAnswer>((resolve) => {
      thread.once('message', resolve);
      // Memory is short, or a codec has ended the thread.
      thread.once('error', () => resolve({ fault: 'TOO_MUCH_WORK' }));
      thread.once('exit', () => resolve({ fault: 'BROKEN' }));
    });
    const answer = await this.#within(answered).finally(() => thread.terminate());
    if (answer === TIMED_OUT) throw new ImageRefused('TOO_MUCH_WORK');
    if ('fault' in answer) throw new ImageRefused(answer.fault);
    return answer;
  }
}
