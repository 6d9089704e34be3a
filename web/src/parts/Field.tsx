// A named field of a form, with a line under it that says what it is.
import type { ComponentChildren } from 'preact';
import './field.css';

export function Field({ name, about, children }: { name: string; about?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{name}</span>
      {children}
      {about && <small>{about}</small>}
    </label>
  );
}
