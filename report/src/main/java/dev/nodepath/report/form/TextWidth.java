package dev.nodepath.report.form;

/** The maximum width of a text in a chart: the layout is computed here, but the reader's browser chooses the font. */
final class TextWidth {
    /** The font's size in the style sheet, in pixels. */
    private static final double FONT_SIZE = 12;

    /** Widths of DejaVu Sans, the widest of the usual fonts. The unit is the font's size. */
    private static final double NARROW = 0.42;

    private static final double USUAL = 0.645;
    private static final double CAPITAL = 0.78;
    private static final double WIDE = 1.0;

    private TextWidth() {}

    /** The width of a text, in the units of a chart. */
    static double of(String text) {
        return text.chars().mapToDouble(TextWidth::of).sum() * FONT_SIZE;
    }

    private static double of(int character) {
        if (" .,:;'|!ijlftrI-()[]/".indexOf(character) >= 0) {
            return NARROW;
        }
        if ("mwMW@%".indexOf(character) >= 0) {
            return WIDE;
        }
        return Character.isUpperCase(character) ? CAPITAL : USUAL;
    }
}
