package bench;

import java.util.Properties;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** Jython: Python compiled to classes, with dictionaries, generators, classes and strings. */
final class Jython implements Workload {
    private static final String SCRIPT = String.join("\n",
            "class Node(object):",
            "    def __init__(self, key):",
            "        self.key, self.left, self.right = key, None, None",
            "    def add(self, key):",
            "        side = 'left' if key < self.key else 'right'",
            "        child = getattr(self, side)",
            "        if child is None:",
            "            setattr(self, side, Node(key))",
            "        else:",
            "            child.add(key)",
            "    def walk(self):",
            "        if self.left:",
            "            for key in self.left.walk(): yield key",
            "        yield self.key",
            "        if self.right:",
            "            for key in self.right.walk(): yield key",
            "def turn():",
            "    root, words = Node(500), {}",
            "    for n in range(400):",
            "        root.add(n * 7919 % 1009)",
            "    for key in root.walk():",
            "        word = 'k%d' % (key % 50)",
            "        words[word] = words.get(word, 0) + key",
            "    total = 0",
            "    for word in sorted(words):",
            "        total = (total * 31 + words[word] + len(word)) % 1000003",
            "    queens = [0]",
            "    def place(row, columns, up, down, n):",
            "        if row == n:",
            "            queens[0] += 1",
            "            return",
            "        for c in range(n):",
            "            if not (columns >> c & 1 or up >> (row + c) & 1 or down >> (row - c + n) & 1):",
            "                place(row + 1, columns | 1 << c, up | 1 << (row + c), down | 1 << (row - c + n), n)",
            "    place(0, 0, 0, 0, 6)",
            "    return total * 100 + queens[0]");
    private final PyObject turn;

    Jython() {
        Properties properties = new Properties();
        properties.setProperty("python.import.site", "false");
        properties.setProperty("python.cachedir.skip", "true");
        PythonInterpreter.initialize(new Properties(), properties, new String[0]);
        PythonInterpreter interpreter = new PythonInterpreter();
        interpreter.exec(SCRIPT);
        turn = interpreter.get("turn");
    }

    @Override
    public long turn() {
        return turn.__call__().asLong();
    }
}
