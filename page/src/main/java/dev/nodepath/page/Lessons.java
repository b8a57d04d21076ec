package dev.nodepath.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/**
 * The lessons as JSON: a list of {@code {"title", "blocks"}}. A block is {@code {"p": INLINE}},
 * {@code {"list": [INLINE]}}, {@code {"code": TEXT}}, {@code {"summary": TEXT, "fold": [BLOCK]}} or
 * {@code {"check": CHECK, "question": INLINE, "choices": [INLINE]}}. INLINE is a list of texts, {@code {"code": TEXT}}
 * and {@code {"strong": INLINE}}. Markup that is not one of these is refused, so nothing of the document is lost on
 * the page.
 */
public final class Lessons {
    private static final String NAME = "lessons.md";
    private static final Pattern FOLD = Pattern.compile("<details><summary>([^<]+)</summary>");
    private static final String FOLD_END = "</details>";
    private static final int LESSON_LEVEL = 2;

    private final ArrayNode lessons = JsonNodeFactory.instance.arrayNode();
    /** The lists of blocks that are being written, the innermost first. */
    private final Deque<ArrayNode> open = new ArrayDeque<>();

    private Lessons() {}

    /** The lessons of this version, as JSON. */
    public static String json() {
        return read(document()).toString();
    }

    /** The document that comes with this version. */
    static String document() {
        try (InputStream stream = Objects.requireNonNull(Lessons.class.getResourceAsStream(NAME), NAME)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(NAME, e);
        }
    }

    /**
     * Reads a document.
     *
     * @throws IllegalArgumentException if the page could not show or check a part of it; the message has the line
     */
    static ArrayNode read(String markdown) {
        Node document = Parser.builder()
                .includeSourceSpans(IncludeSourceSpans.BLOCKS)
                .build()
                .parse(markdown);
        Lessons reader = new Lessons();
        children(document).forEach(block -> {
            try {
                reader.block(block);
            } catch (IllegalArgumentException e) {
                int line = block.getSourceSpans().get(0).getLineIndex() + 1;
                throw new IllegalArgumentException(NAME + ":" + line + ": " + e.getMessage(), e);
            }
        });
        if (reader.open.size() > 1) {
            throw new IllegalArgumentException(NAME + ": a fold is open at the end (expected: " + FOLD_END + ")");
        }
        return reader.lessons;
    }

    /** The text before the first lesson tells how to open the page, and is not shown there. */
    private void block(Node block) {
        if (block instanceof Heading heading && heading.getLevel() == LESSON_LEVEL) {
            if (open.size() > 1) {
                throw new IllegalArgumentException("a lesson begins in a fold (expected: " + FOLD_END + " before it)");
            }
            ObjectNode lesson = lessons.addObject().put("title", text(heading));
            open.clear();
            open.push(lesson.putArray("blocks"));
        } else if (!open.isEmpty()) {
            ArrayNode blocks = open.element();
            if (block instanceof Paragraph) {
                blocks.addObject().set("p", inline(block));
            } else if (block instanceof BulletList) {
                ArrayNode items = blocks.addObject().putArray("list");
                children(block).forEach(item -> items.add(item(item)));
            } else if (block instanceof FencedCodeBlock code) {
                blocks.addObject().put("code", code.getLiteral().strip());
            } else if (block instanceof HtmlBlock html) {
                html(html.getLiteral().strip());
            } else {
                throw unknown(block);
            }
        }
    }

    private void html(String literal) {
        Matcher fold = FOLD.matcher(literal);
        if (fold.matches()) {
            ObjectNode block = open.element().addObject().put("summary", fold.group(1));
            open.push(block.putArray("fold"));
        } else if (literal.equals(FOLD_END) && open.size() > 1) {
            open.pop();
        } else {
            check(LessonCheck.parse(literal), open.element());
        }
    }

    /** The list before it has the choices, and the paragraph before the list is the question. */
    private static void check(LessonCheck check, ArrayNode blocks) {
        int choices = blocks.path(blocks.size() - 1).path("list").size();
        if (choices != check.values().size() || !blocks.path(blocks.size() - 2).has("p")) {
            throw new IllegalArgumentException("check: " + check.values().size() + " values after " + choices
                    + " choices (expected: a paragraph that asks, a list, and a value for each of its items)");
        }
        ObjectNode block = JsonNodeFactory.instance.objectNode();
        block.set("choices", blocks.remove(blocks.size() - 1).path("list"));
        block.set("question", blocks.remove(blocks.size() - 1).path("p"));
        blocks.add(block.set("check", check.json()));
    }

    private static ArrayNode item(Node item) {
        if (!(item.getFirstChild() instanceof Paragraph text) || text.getNext() != null) {
            throw unknown(item);
        }
        return inline(text);
    }

    private static ArrayNode inline(Node parent) {
        ArrayNode parts = JsonNodeFactory.instance.arrayNode();
        for (Node node : children(parent)) {
            if (node instanceof Text text) {
                parts.add(text.getLiteral());
            } else if (node instanceof SoftLineBreak) {
                parts.add(" ");
            } else if (node instanceof Code code) {
                parts.addObject().put("code", code.getLiteral());
            } else if (node instanceof StrongEmphasis) {
                parts.addObject().set("strong", inline(node));
            } else {
                throw unknown(node);
            }
        }
        return parts;
    }

    private static String text(Heading heading) {
        if (!(heading.getFirstChild() instanceof Text text) || text.getNext() != null) {
            throw new IllegalArgumentException("a lesson's title has markup (expected: plain words)");
        }
        return text.getLiteral();
    }

    private static IllegalArgumentException unknown(Node node) {
        return new IllegalArgumentException(node.getClass().getSimpleName()
                + " (expected: headings, paragraphs, lists, fenced code, code, strong, <details>, check)");
    }

    private static List<Node> children(Node parent) {
        List<Node> children = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNext()) {
            children.add(child);
        }
        return children;
    }
}
