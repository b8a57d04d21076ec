package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageSourceTest {
    @Test
    void aStyleHasNoSpacesThatSayNothing() {
        assertThat(PageSource.style("""
                /* A comment. */
                @media (min-width: 9px) {
                  .a > .b, td::before { margin: 0 1px; width: calc(100% - 2px); }
                  .c + .d :hover { color: red !important; }
                }
                """))
                .isEqualTo("@media (min-width:9px){.a>.b,td::before{margin:0 1px;width:calc(100% - 2px)}"
                        + ".c + .d :hover{color:red !important}}");
    }

    @Test
    void aScriptKeepsItsLinesAndItsTexts() {
        assertThat(PageSource.script("""
                /* A comment. */
                /** A comment
                    of two lines. */
                const a = b ? ' ( it\\'s ) ' : "x , y";

                  if (a !== `${ b }  z`) return [a, + 1];
                """))
                .isEqualTo("const a=b?' ( it\\'s ) ':\"x , y\";\nif(a!==`${ b }  z`)return[a,+ 1];");
    }

    @Test
    void aStatementIsOneLineWhereItsLinesEndOpen() {
        assertThat(PageSource.script("call(\n  a,\n  b);\nnext();")).isEqualTo("call(a,b);\nnext();");
        assertThat(PageSource.script("a\n  ? b\n  : c\n  + d;\n++e;")).isEqualTo("a?b:c+ d;\n++e;");
    }

    @Test
    void twoSignsDoNotBecomeOne() {
        assertThat(PageSource.script("a + +b - -c")).isEqualTo("a + +b - -c");
        assertThat(PageSource.script("a++ + b + ++c + ' + '")).isEqualTo("a++ + b + ++c+' + '");
        assertThat(PageSource.script("a-- - b - c - --d")).isEqualTo("a-- - b-c - --d");
    }
}
