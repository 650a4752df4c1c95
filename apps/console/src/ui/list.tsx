import type { ReactNode } from "react";
import { Loaded, type Reading } from "./loaded.tsx";
import { Page } from "./page.tsx";
import { Pager } from "./pager.tsx";
import { type Columns, Table } from "./table.tsx";

/** An answer with a list; that of a page of one says whether and where it continues. */
interface Listed {
  readonly hasMore?: boolean;
  readonly lastValue?: string | null;
}

interface ListProps<Data, Row> {
  /** What is listed, as its table is called: "Members". */
  readonly name: string;
  readonly query: Reading<Data>;
  readonly rowsOf: (data: Data) => readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly columns: Columns<Row>;
  /** What stands there instead of a table without rows. */
  readonly empty: ReactNode;
  /** Where the shown page of the list begins, as the URL says. */
  readonly after?: string | undefined;
  /** What is read, where "the" and the name do not say it. */
  readonly label?: string;
  readonly lines?: number;
}

/** A list that is read: its table, what stands there without rows, and the ways to its other pages. */
export function List<Data extends object, Row>(props: ListProps<Data, Row>) {
  const { name, query, rowsOf, keyOf, columns, empty, after, lines } = props;
  const { label = `the ${name.toLowerCase()}` } = props;
  return (
    <Loaded query={query} label={label} lines={lines}>
      {(data) => {
        const rows = rowsOf(data);
        const { hasMore, lastValue = null }: Listed = data as object;
        return (
          <>
            {rows.length === 0 ? empty : <Table label={name} {...{ columns, rows, keyOf }} />}
            {hasMore !== undefined && <Pager after={after} next={hasMore ? lastValue : null} />}
          </>
        );
      }}
    </Loaded>
  );
}

interface ListPageProps<Data, Row> extends ListProps<Data, Row> {
  /** The title of the page, where it is not the name. */
  readonly title?: string;
  /** Buttons beside the heading. */
  readonly actions?: ReactNode;
  /** What stands above the list: filters, and what failed. */
  readonly above?: ReactNode;
  /** The dialogs of the page. */
  readonly children?: ReactNode;
}

/** A page with a list. */
export function ListPage<Data extends object, Row>(props: ListPageProps<Data, Row>) {
  const { title, actions, above, children, ...list } = props;
  return (
    <Page title={title ?? list.name} actions={actions}>
      {above}
      <List {...list} />
      {children}
    </Page>
  );
}
