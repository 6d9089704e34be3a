import type { ViewProps } from '../../app/App';

export function Jobs({ route }: ViewProps) {
  return <h1>{route.path.join('/')}</h1>;
}
