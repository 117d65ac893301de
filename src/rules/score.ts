export const scoreIn = (text: string): number | undefined => {
  const m = /score:?\**:?\s*(\d+)/i.exec(text);
  return m ? Number(m[1]) : undefined;
};
