/// Lines with aligned columns.
struct Table {
    struct Cell {
        var text: Shown
        var colour: Output.Colour?
        var isRight = false

        init(_ text: String, _ colour: Output.Colour? = nil, isRight: Bool = false) {
            self.text = Shown(text)
            self.colour = colour
            self.isRight = isRight
        }
    }

    private var rows: [[Cell]] = []

    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    func print() {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? Output.width($0[column].text) : 0 }.max() ?? 0
        }
        for row in rows {
            var line: Shown = ""
            for (column, cell) in row.enumerated() {
                let room = Shown(
                    own: String(
                        repeating: " ", count: widths[column] - Output.width(cell.text)))
                let text = Output.coloured(cell.text, cell.colour)
                let isLast = column == row.count - 1
                line += cell.isRight ? room + text : text + (isLast ? "" : room)
                // Columns that are empty in every row take no room.
                if !isLast, widths[column] > 0 { line += "  " }
            }
            // An empty cell at the end leaves no blanks behind.
            Output.line(line.withoutBlanks)
        }
    }
}
