import type { ReactNode } from "react";
import { Loaded, type Reading } from "./loaded.tsx";
import { Page } from "./page.tsx";
import { Pager } from "./pager.tsx";
import { type Columns, Table } from "./table.tsx";

/** A response with a list; a paged one says whether and where it continues. */
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
  /** Names of the columns that a narrow table leaves out. */
  readonly least?: readonly string[];
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode;
  /** Cursor of the shown page, from the URL. */
  readonly after?: string | undefined;
  /** What is loaded, if not "the" and the name. */
  readonly label?: string;
  readonly lines?: number;
}

/** A loaded list: its table or what is shown without rows, and links to its other pages. */
export function List<Data extends object, Row>(props: ListProps<Data, Row>) {
  const { name, query, rowsOf, keyOf, columns, least, empty, after, lines } = props;
  const { label = `the ${name.toLowerCase()}` } = props;
  return (
    <Loaded query={query} label={label} lines={lines}>
      {(data) => {
        const rows = rowsOf(data);
        const { hasMore, lastValue = null }: Listed = data as object;
        return (
          <>
            {rows.length === 0 ? (
              empty
            ) : (
              <Table label={name} {...{ columns, rows, keyOf, least }} />
            )}
            {hasMore !== undefined && <Pager after={after} next={hasMore ? lastValue : null} />}
          </>
        );
      }}
    </Loaded>
  );
}

interface ListPageProps<Data, Row> extends ListProps<Data, Row> {
  /** The title of the page, if it is not the name. */
  readonly title?: string;
  /** Buttons beside the heading. */
  readonly actions?: ReactNode;
  /** Content above the list, such as filters and errors. */
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
