// Signs of the views, drawn by lines in the colour of the text. The word stands beside each.
const kPaths: Record<string, string> = {
  '': 'M4 4h7v7H4zM13 4h7v4h-7zM13 10h7v10h-7zM4 13h7v7H4z',
  timeline: 'M3 6h9M8 12h10M5 18h7M15 3v18',
  jobs: 'M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01',
  submit: 'M12 5v14M5 12h14',
  whatif: 'M6 20V4M6 12c8 0 6-6 12-6M18 6l-3-3M18 6l-3 3M6 12c8 0 6 6 12 6M18 18l-3-3M18 18l-3 3',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-7 7-7s7 3 7 7M16 3.5a4 4 0 0 1 0 7M18 14.5c2.5 1 4 3.5 4 6.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
};

export function Icon({ of }: { of: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
      <path d={kPaths[of] ?? ''} />
    </svg>
  );
}
