import { expect, test } from 'vitest';
import { type Rgb, contrast, readable, shownColours } from './colour';

test('all 256 colours can be read in both themes', () => {
  const grounds: Rgb[] = [[255, 255, 255], [18, 22, 28]];
  for (const ground of grounds) {
    for (let i = 0; i < 216; i += 1) {
      const colour: Rgb = [Math.floor(i / 36) * 51, (Math.floor(i / 6) % 6) * 51, (i % 6) * 51];
      expect(contrast(readable(colour, ground), ground)).toBeGreaterThanOrEqual(4.5);
    }
  }
});
test('a colour that can be read stays', () => {
  expect(readable([180, 0, 0], [255, 255, 255])).toEqual([180, 0, 0]);
});
test('text on a coloured ground is readable', () => {
  const css = shownColours('255, 255, 85', '255, 255, 255', 'dark');
  expect(css.background).toBe('rgb(255 255 255)');
  expect(css.color).not.toBe('rgb(255 255 85)');
  expect(shownColours(null, null, 'light')).toEqual({ color: '', background: '' });
});
