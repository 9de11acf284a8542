for (const table of document.querySelectorAll('table')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Sort by this column';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const turn = head.ariaSort === 'ascending' ? -1 : 1;
      const textOf = row => row.cells[column].textContent.trim();
      const kindOf = text => text === '' ? 2 : isNaN(text) ? 1 : 0;  // numbers, then words, then nothing
      const order = (a, b) => {
        const x = textOf(a), y = textOf(b);
        if (kindOf(x) !== kindOf(y)) return kindOf(x) - kindOf(y);
        return turn * (kindOf(x) === 0 ? x - y : x.localeCompare(y, 'en', {numeric: true}));
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.ariaSort = turn > 0 ? 'ascending' : 'descending';
    });
  });
}
