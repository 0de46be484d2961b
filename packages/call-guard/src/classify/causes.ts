/** Where errors keep what they wrap: ES2022, LangChain's tool errors, Sequelize, TypeORM. */
const WRAPPED = ['cause', 'toolError', 'original', 'driverError'];

/** More causes than that are a structure of some other kind. */
const MOST = 50;

/** An error and all it wraps, outermost first, members of an AggregateError included. */
export function causes(error: unknown): readonly object[] {
  const found = new Set<object>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.has(value)) return;
    if (found.size === MOST) return;
    found.add(value);
    if ('errors' in value && Array.isArray(value.errors)) value.errors.forEach(walk);
    for (const name of WRAPPED) walk(Reflect.get(value, name));
  };
  walk(error);
  return [...found];
}
