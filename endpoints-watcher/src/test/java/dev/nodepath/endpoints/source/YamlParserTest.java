package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlParserTest {
    private static final Path FILE = Path.of("web.yaml");

    @Test
    void valuesHaveTheTypesOfTheCoreSchema() throws Exception {
        JsonNode node = node("""
                string: text
                quoted: "80"
                tagged: !!str 80
                int: 80
                hex: 0x50
                octal: 0o120
                float: 1.5
                infinite: -.inf
                yes: yes
                on: True
                tilde: ~
                empty:
                block: |
                  two
                  lines
                long: 11111111111111111111111111111111111111111111111111111111111111111111
                list: [1, {a: b}]
                """);

        assertThat(node.toString().replace('"', '\''))
                .isEqualTo("{'string':'text','quoted':'80','tagged':'80','int':80,'hex':80,'octal':80,'float':1.5,"
                        + "'infinite':'-Infinity','yes':'yes','on':true,'tilde':null,'empty':null,"
                        + "'block':'two\\nlines\\n','long':'"
                        + "1".repeat(68)
                        + "','list':[1,{'a':'b'}]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a: [1, 2~b: 3            | line 2, column 2: expected ',' or ']', but got :
            a: b: c                  | line 1, column 5: mapping values are not allowed here
            a: 1~b: {c: d            | line 2, column 9: expected ',' or '}', but got <stream end>
            a: 1~a: 2                | line 2, column 1: key "a" occurs twice
            a: *b                    | line 1, column 4: alias *b has no anchor before it
            a: &a [*a]               | line 1, column 8: alias *a has no anchor before it
            a: &x 1~---~b: *x        | line 3, column 4: alias *x has no anchor before it
            {[a]: b}                 | line 1, column 2: a key is no scalar
            a: {<<: b}               | line 1, column 9: merge key (<<): not a mapping (expected: a mapping, or a list of mappings)
            a: {<<: [{b: c}, 1]}     | line 1, column 9: merge key (<<): not a mapping (expected: a mapping, or a list of mappings)
            a: {<<: {b: c}, <<: {}}  | line 1, column 17: key "<<" occurs twice
            a: !!int x               | line 1, column 4: tag tag:yaml.org,2002:int is not supported
            a: !x {}                 | line 1, column 4: tag !x is not supported
            """)
    void saysWhereTheYamlIsBroken(String yaml, String message) {
        assertThatThrownBy(() -> YamlParser.parse(FILE, yaml.replace('~', '\n')))
                .isInstanceOf(ManifestException.class)
                .hasMessage("web.yaml: " + message);
    }

    @Test
    void refusesNestingBombs() {
        assertThatThrownBy(() -> YamlParser.parse(FILE, "[".repeat(100_000)))
                .hasMessage("web.yaml: line 1, column 65: nested more than 64 deep");
    }

    @Test
    void refusesAliasBombs() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            bomb.append("a%d: &a%d [%s]\n"
                    .formatted(i, i, String.join(", ", java.util.Collections.nCopies(10, "*a" + (i - 1)))));
        }
        assertThatThrownBy(() -> YamlParser.parse(FILE, bomb.toString()))
                .hasMessageMatching("web.yaml: line [0-9]+, column [0-9]+: more than 1000000 values");
    }

    @Test
    void refusesFloodsOfDocuments() {
        assertThatThrownBy(() -> YamlParser.parse(FILE, "--- x\n".repeat(100_001)))
                .hasMessage("web.yaml: line 100001, column 5: more than 100000 documents");
    }

    @Test
    void aliasesStandForTheirValue() throws Exception {
        assertThat(json("{a: &x {b: 1}, c: *x, d: &y 2, e: *y, *y : 3}")).isEqualTo("{a:{b:1},c:{b:1},d:2,e:2,2:3}");
    }

    /** As kubectl reads them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {<<: {a: 1, b: 2}, b: 3}                 | {b:3,a:1}
            {b: 3, <<: {a: 1, b: 2}}                 | {b:3,a:1}
            {x: &x {a: 1}, y: {<<: *x, b: 2}}        | {x:{a:1},y:{b:2,a:1}}
            {<<: [{a: 1}, {a: 2, b: 2}], c: 3}       | {c:3,a:1,b:2}
            {x: &x {<<: {a: 1}}, y: {<<: *x}}        | {x:{a:1},y:{a:1}}
            {<<: {a: 1}, a: null}                    | {a:null}
            {"<<": {a: 1}}                           | {<<:{a:1}}
            """)
    void mergeKeysAddFieldsThatAreNotThere(String yaml, String json) throws Exception {
        assertThat(json(yaml)).isEqualTo(json);
    }

    @Test
    void everyScalarHasItsLine() throws Exception {
        YamlParser.Documents source = YamlParser.parse(FILE, "a: true\nb: true\nc: 1\nd: 1\ne: x\nf: x\n");

        assertThat(source.documents().get(0).properties())
                .map(field -> field.getKey() + source.lines().get(field.getValue()))
                .containsExactly("a1", "b2", "c3", "d4", "e5", "f6");
    }

    /** For any text the parser returns values or throws a ManifestException of one line. */
    @Test
    void survivesMutatedText() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = " \n\t:-[]{}\"'&*!|>%#,?@`~<\\ab01\u0000\uD83D\u2028";
        String text = "a: &x [1, \"b\\n\"]\n---\n- {c: *x, d: 'e'}\n- |\n  text\n- !!str 1\n";
        for (int round = 0; round < 5_000; round++) {
            StringBuilder mutated = new StringBuilder(text);
            for (int i = random.nextInt(4); i >= 0; i--) {
                int at = random.nextInt(mutated.length());
                mutated.replace(at, at + random.nextInt(3), "" + alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                YamlParser.parse(FILE, mutated.toString());
            } catch (ManifestException e) {
                assertThat(e.getMessage()).as("seed %s", seed).doesNotContain("\n");
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed + ": " + mutated, e);
            }
        }
    }

    private static JsonNode node(String yaml) throws ManifestException {
        return YamlParser.parse(FILE, yaml).documents().get(0);
    }

    private static String json(String yaml) throws ManifestException {
        return node(yaml).toString().replace("\"", "");
    }
}
