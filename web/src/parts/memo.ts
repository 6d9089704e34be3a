// A component that is drawn again only when something it was given is another thing than before.
import { Component, type ComponentType, type FunctionComponent, createElement } from 'preact';

export function sameProps(before: object, now: object): boolean {
  const old = before as Record<string, unknown>;
  const fresh = now as Record<string, unknown>;
  const names = Object.keys(fresh);
  return names.length === Object.keys(old).length && names.every((name) => old[name] === fresh[name]);
}
export function memo<P extends object>(of: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !sameProps(this.props, next);
    }
    override render() {
      return createElement(of, this.props);
    }
  };
}
