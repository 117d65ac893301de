/** How much of one answer of a server over HTTP is read, in bytes. Over stdio the SDK reads a message of up to 10 MB. */
const maxBytes = 32_000_000;

/** A `fetch` by which no server can fill the memory: an answer that is longer ends with an error. */
export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  let left = maxBytes;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(new Error(`the server answered with over ${maxBytes / 1_000_000} MB`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
};
