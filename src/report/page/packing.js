/* Bytes in a page, as src/report/packing.c writes them. */
function bytes_of_text(text) {
  if (Uint8Array.fromBase64)
    return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++)
    bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/* Compressed bytes. A stream that is read part by part takes half the time of one that goes through a Blob and a Response. */
async function unpack_text(text) {
  const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter(), reader = stream.readable.getReader(), parts = [];
  writer.write(bytes_of_text(text)).then(() => writer.close()).catch(() => {}); /* of damaged bytes; then read() fails, too */
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
  }
  const bytes = new Uint8Array(size);
  for (let at = 0, i = 0; i < parts.length; at += parts[i++].length)
    bytes.set(parts[i], at);
  return bytes;
}
